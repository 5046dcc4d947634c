// Unit files written before 1.0 start the site by this name. It goes with the next release.
import './server/main.ts'
