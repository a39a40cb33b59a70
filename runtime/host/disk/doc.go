// Package disk writes files that are there whole or not at all, whatever ends the
// process or fills the disk. All that it does goes through an [FS], so that tests
// can have it fail: see package disktest.
package disk
