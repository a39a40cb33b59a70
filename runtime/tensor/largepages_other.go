//go:build !linux

package tensor

// largePages does nothing here.
func largePages([]byte) {}
