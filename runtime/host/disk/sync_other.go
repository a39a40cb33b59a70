//go:build !unix && !windows

package disk

func syncDir(string) error { return nil }

// IsFull reports whether something could not be written as the disk is full.
func IsFull(error) bool { return false }

// IsReadOnly reports whether something could not be written as the file system may
// only be read.
func IsReadOnly(error) bool { return false }

// NoDescriptors reports whether a file could not be opened as there are too many.
func NoDescriptors(error) bool { return false }
