/** Text of the Prometheus exposition format, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>;

export class Exposition {
  #text = "";

  /** Starts a metric; its samples follow. Metrics without samples are omitted. */
  metric(
    name: string,
    type: "counter" | "gauge",
    help: string,
    samples: readonly (readonly [Labels, bigint | number])[],
  ): void {
    if (samples.length === 0) return;
    this.#text += `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}\n# TYPE ${name} ${type}\n`;
    for (const [labels, value] of samples) this.#text += `${name}${labelText(labels)} ${valueText(value)}\n`;
  }

  get text(): string {
    return this.#text;
  }
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

function valueText(value: bigint | number): string {
  if (typeof value === "bigint" || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Label text: control characters other than a line break, which break some readers, become \xHH. */
export function labelValue(text: string): string {
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
