// Unit files written before 1.1 start the site by this name. It goes with the next release.
import './server/main.ts'
