//go:build !unix

package trust

const modesCount = false
