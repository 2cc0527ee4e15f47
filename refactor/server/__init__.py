"""The language server: what an editor asks, answered by the functions that the command line calls.

It neither imports torch nor runs user code; verification, where it is asked for, is a child process.
"""
