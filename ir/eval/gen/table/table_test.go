package table

import (
	"bytes"
	"os"
	"testing"
)

const kernels = "../../../../runtime/cpu"

// TestCurrent compares the committed tables with the kernels' sources.
func TestCurrent(t *testing.T) {
	for file, source := range map[string]func(string) ([]byte, error){
		"kernels.go": Source, "failing.go": Failing, "packers.go": Packers, "constants.go": Constants,
	} {
		want, err := source(kernels)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate ./ir/eval", file)
		}
	}
}
