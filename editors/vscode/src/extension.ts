// Starts `refactor server` and hands everything on: what there is to know is in the server.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function build(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("torch-refactor");
  const [command = "refactor", ...args] = settings.get<string[]>("command", []);
  const server: ServerOptions = { command, args };
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "untitled" },
      { language: "python", scheme: "vscode-notebook-cell" },
    ],
    initializationOptions: { settings: settings.get<object>("settings", {}) },
  };
  return new LanguageClient("torch-refactor", "torch-refactor", server, options);
}

async function start(): Promise<void> {
  client = build();
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(
      `torch-refactor: the server did not start (${String(error)}). Is it installed where "torch-refactor.command" looks?`,
    );
  }
}

async function restart(): Promise<void> {
  await client?.dispose();
  await start();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("torch-refactor.restart", restart),
    vscode.commands.registerCommand("torch-refactor.verify", () => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      return uri && client?.sendRequest("workspace/executeCommand", { command: "refactor.verify", arguments: [uri.toString()] });
    }),
    vscode.workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration("torch-refactor") ? restart() : undefined,
    ),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}
