// The part of Node.js's types that a client uses, for a compiler without the package @types/node.
declare class Buffer extends Uint8Array {
  static alloc(size: number): Buffer;
  static from(text: string, encoding?: string): Buffer;
  static from(bytes: Uint8Array): Buffer;
  static concat(parts: Uint8Array[]): Buffer;
  readUInt32BE(offset: number): number;
  writeUInt32BE(value: number): number;
  subarray(start?: number, end?: number): Buffer;
  toString(encoding?: string): string;
}
declare module "node:net" {
  export class Socket {
    on(event: "data", listener: (bytes: Buffer) => void): this;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "close", listener: () => void): this;
    write(bytes: Uint8Array): boolean;
    destroy(): this;
  }
  export function connect(path: string): Socket;
}
declare function setTimeout(callback: () => void, milliseconds: number): number;
declare function clearTimeout(timer: number | undefined): void;
declare const process: { argv: string[] };
declare const console: { log(text: string): void };
