package test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
)

// TestRefuses: what cannot be read is named as it was given, once.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	none := filepath.Join("sub", "none")
	_, _, err := cmdtest.Run(t, Command(), none)
	if err == nil || !strings.HasPrefix(err.Error(), none+": ") || strings.Count(err.Error(), none) > 1 {
		t.Errorf("the error is %v, want %s in front, and nowhere else", err, none)
	}
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{"."}, Want: "no cases found in .: a case is a folder with model.onnx and test_data_set_0"})
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{".", "--match", "Relu"}, Want: `no case in . has a name that matches "Relu" of --match`})
}
