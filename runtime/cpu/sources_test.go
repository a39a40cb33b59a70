package cpu

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// needsSources skips a test that reads the package's sources if the test binary runs by itself, away from them.
func needsSources(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("doc.go"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the test binary is by itself: the sources are not in its folder")
	}
}
