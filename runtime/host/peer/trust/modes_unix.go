//go:build unix

package trust

// modesCount reports whether the permission bits of files are effective.
const modesCount = true
