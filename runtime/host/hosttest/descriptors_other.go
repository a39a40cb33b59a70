//go:build !unix

package hosttest

import "testing"

func limitDescriptors(t *testing.T, _ uint64) {
	t.Skip("nothing limits how many files a process opens")
}
