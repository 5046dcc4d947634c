declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  type Options = { version: string; privateKey: ECDH; authSecret: string }
  export function decrypt(body: Buffer, options: Options): Buffer
}
