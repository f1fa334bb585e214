// Shows the agent its memory snapshot, in private sessions only. Made by: memory integrate openclaw
import { readFile } from "node:fs/promises";

const SNAPSHOT = $snapshot;
const PRIVATE = new RegExp($private);

export default async function handler(event) {
  if (event?.type !== "agent" || event?.action !== "bootstrap") return;
  const context = event.context ?? {};
  const key = context.sessionKey ?? event.sessionKey;
  if (typeof key !== "string" || !PRIVATE.test(key) || !Array.isArray(context.bootstrapFiles)) return;
  const content = await readFile(SNAPSHOT, "utf8").catch(() => "");
  if (!content) return;
  const file = { name: "snapshot.md", path: SNAPSHOT, content: content.slice(0, $most), missing: false };
  context.bootstrapFiles.push(file);
}
