// Package disk writes files atomically: a file is either complete or absent, even if the process ends or the
// disk fills. It uses an [FS], so that tests can inject faults: see package disktest.
package disk
