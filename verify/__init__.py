"""The judge: is a rewrite observably the original, and does Dynamo break it less? Runs user code in child processes."""
