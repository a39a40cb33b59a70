//go:build !unix && !windows

package disk

func syncDir(string) error { return nil }

// IsFull reports whether an error means that the disk is full.
func IsFull(error) bool { return false }

// IsReadOnly reports whether an error means that the file system is read-only.
func IsReadOnly(error) bool { return false }

// NoDescriptors reports whether an error means that too many files are open.
func NoDescriptors(error) bool { return false }
