-- What a user of Neovim does: open a file, wait for diagnostics, take the quick fix, fix all, save.
-- Arguments: the command of the server, the file, where to write what was seen.
local python, file, report = vim.g.python, vim.g.file, vim.g.report
local seen = {}

local function finish(problem)
  seen.problem = problem
  vim.fn.writefile({ vim.fn.json_encode(seen) }, report)
  vim.cmd(problem and "cquit" or "qall!")
end

vim.cmd("edit " .. vim.fn.fnameescape(file))
local client = vim.lsp.start_client({
  name = "refactor",
  cmd = { python, "-m", "refactor", "server" },
  root_dir = vim.fn.fnamemodify(file, ":h"),
})
vim.lsp.buf_attach_client(0, client)

local function diagnosed(count)
  return vim.wait(120000, function() return #vim.diagnostic.get(0) == count end, 50)
end

local function choose(only, line)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = { line = line, character = 12 }, ["end"] = { line = line, character = 12 } },
    context = { diagnostics = {}, only = { only } },
  }
  local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 120000)
  local action = answer[client].result[1]
  seen[only] = action.title
  if not action.edit then
    action = vim.lsp.buf_request_sync(0, "codeAction/resolve", action, 120000)[client].result
  end
  vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
end

if not diagnosed(vim.g.expected) then
  return finish("no diagnostics")
end
seen.diagnostics = vim.tbl_map(function(own) return { own.lnum + 1, own.col, own.code, own.source } end, vim.diagnostic.get(0))
choose("quickfix", vim.g.line)
if not diagnosed(vim.g.expected - 1) then
  return finish("the quick fix did not take its diagnostic away")
end
choose("source.fixAll", 0)
if not diagnosed(0) then
  return finish("fix all left something")
end
vim.cmd("write")
finish(nil)
