//go:build !purego

package cpu

import "testing"

// The kernels that processors without some extensions have, at their levels, stay within their slices as well.
func TestFenceWithoutExtensions(t *testing.T) {
	for _, c := range []struct {
		name    string
		without []*bool
	}{
		{"tiles", []*bool{&hasAMX, &hasAMXBF16}},
		{"more than AVX-512", []*bool{&hasAMX, &hasAMXBF16, &hasVNNI, &hasVNNI256, &hasVBMI, &hasVAES, &hasVAES256}},
	} {
		t.Run(c.name, func(t *testing.T) {
			some := false
			for _, has := range c.without {
				some = some || *has
				defer func(old bool) { *has = old }(*has)
				*has = false
			}
			if !some {
				t.Skip("the processor has no such extensions")
			}
			defer func(old bool) { fenceQuick = old }(fenceQuick)
			fenceQuick = true
			TestFenceByteProducts(t)
			TestFenceByteConvolutions(t)
			TestFenceConversions(t)
		})
	}
}
