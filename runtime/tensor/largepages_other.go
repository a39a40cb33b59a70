//go:build !linux

package tensor

// largePages does nothing on this system.
func largePages([]byte) {}
