/** Data types of BP files: code, names people use, size. */

type BpKind = "integer" | "unsigned" | "real" | "complex" | "string" | "strings";

export interface BpType {
  readonly code: number;
  readonly name: string;
  /** Other names that an option accepts. */
  readonly also: readonly string[];
  /** Bytes of one element; 0 when it varies. */
  readonly size: number;
  readonly kind: BpKind;
}

const type = (
  code: number,
  name: string,
  size: number,
  kind: BpKind,
  ...also: readonly string[]
): BpType => ({ code, name, also, size, kind });

export const BP_TYPES: readonly BpType[] = [
  type(0, "int8", 1, "integer", "byte"),
  type(1, "int16", 2, "integer", "short"),
  type(2, "int32", 4, "integer", "integer", "int"),
  type(4, "int64", 8, "integer", "long"),
  type(50, "uint8", 1, "unsigned", "unsigned byte"),
  type(51, "uint16", 2, "unsigned", "unsigned short"),
  type(52, "uint32", 4, "unsigned", "unsigned integer"),
  type(54, "uint64", 8, "unsigned", "unsigned long"),
  type(5, "float32", 4, "real", "real", "float"),
  type(6, "float64", 8, "real", "double"),
  type(7, "float128", 16, "real", "long double"),
  type(9, "string", 0, "string"),
  type(10, "complex64", 8, "complex", "complex"),
  type(11, "complex128", 16, "complex", "double complex"),
  type(12, "strings", 0, "strings", "string array"),
];

const BY_CODE = new Map(BP_TYPES.map((one) => [one.code, one]));
const BY_NAME = new Map(
  BP_TYPES.flatMap((one) => [one.name, ...one.also].map((name) => [name, one] as const)),
);

export const bpTypeOfCode = (code: number): BpType | undefined => BY_CODE.get(code);
export const bpTypeOfName = (name: string): BpType | undefined => BY_NAME.get(name);
