import { readFile } from "node:fs/promises";
import path from "node:path";
const parse = require("./parse");

const DEFAULT_WIDTH = 72;

/**
 * Wraps a paragraph at the given width, keeping words whole.
 * @param {string} text
 */
export function wrapParagraph(text, width = DEFAULT_WIDTH) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last ? last + " " + word : word;
  }
  return lines.join("\n");
}

export const countWords = (text) => {
  // An empty string has no words, though split would say one.
  if (text.trim() === "") return 0;
  return text.trim().split(/\s+/).length;
};

/** Renders notes to plain text. */
export default class NoteRenderer extends parse.Visitor {
  #depth = 0;
  indent = "  ";

  constructor(options) {
    super(options);
    this.width = options.width ?? DEFAULT_WIDTH;
    this.footnotes = new Map();
  }

  // Headings are underlined, as in the old days.
  visitHeading(node) {
    const title = node.children.map((child) => this.visit(child)).join("");
    const mark = node.level === 1 ? "=" : "-";
    return title + "\n" + mark.repeat(title.length) + "\n";
  }

  async visitInclude(node) {
    const file = path.resolve(this.options.root, node.target);
    const source = await readFile(file, "utf8");
    return this.visit(parse(source, { parent: node.target }));
  }

  get depth() { return this.#depth; }
}

NoteRenderer.prototype.visitRule = function () {
  return "-".repeat(this.width) + "\n" + this.indent + "(here the page ends and another begins)\n";
};
