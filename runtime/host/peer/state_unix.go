//go:build unix

package peer

// modesCount says that the permission bits of files mean something here.
const modesCount = true
