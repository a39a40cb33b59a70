package project

import (
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/codegen"
)

// maxTestData is the largest size of a package's test data in bytes.
const maxTestData = 4 << 20

// TestData returns the test data beside a model, in the layout of ONNX's own cases: inputs and outputs for
// the generated package's test.
func TestData(input string) []codegen.File {
	list, err := matching(filepath.Join(filepath.Dir(input), "test_data_set_0"), "*put_*.pb")
	if err != nil {
		return nil
	}
	var out []codegen.File
	size := 0
	for _, name := range list {
		b, err := os.ReadFile(name)
		if size += len(b); err != nil || size > maxTestData {
			return nil
		}
		out = append(out, codegen.NewFile("testdata/"+filepath.Base(name), b))
	}
	return out
}
