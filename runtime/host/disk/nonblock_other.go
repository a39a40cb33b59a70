//go:build !unix

package disk

// nonblock is no flag: there are no pipes among the files.
const nonblock = 0
