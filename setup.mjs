// An installed deploy/upgrade written before 1.0 calls this name. It goes with the next release.
import './scripts/setup.mjs'
