package tensor

import (
	"go/build"
	"os/exec"
	"strings"
	"testing"
)

// TestBigEndian: no binary can be built for processors whose numbers are big-endian, and for all others of Go's it can.
func TestBigEndian(t *testing.T) {
	ports, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	big := map[string]bool{"s390x": true, "ppc64": true, "mips": true, "mips64": true}
	for port := range strings.FieldsSeq(string(ports)) {
		c := build.Default
		c.GOOS, c.GOARCH, _ = strings.Cut(port, "/")
		refused, err := c.MatchFile(".", "bigendian.go")
		if err != nil {
			t.Fatal(err)
		}
		if refused != big[c.GOARCH] {
			t.Errorf("%s: refused: %v, want %v", port, refused, big[c.GOARCH])
		}
	}
}
