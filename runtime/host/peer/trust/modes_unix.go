//go:build unix

package trust

// modesCount says that the permission bits of files mean something here.
const modesCount = true
