//go:build !linux

package tensor

const hasLargePages = false

// requestLargePages does nothing on this system.
func requestLargePages([]byte) {}
