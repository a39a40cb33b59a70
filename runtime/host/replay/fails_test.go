package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// diverging is a training whose steps fail.
type diverging struct{ line }

func (*diverging) Step(float64) (float64, error) { return 0, errors.New("the loss is not finite") }

// TestFails: an error of the model or of the disk ends a replay, whose results would otherwise be taken for those of
// the whole recording.
func TestFails(t *testing.T) {
	broken := errors.New("broken")
	p := program()
	p.New = func(uint64) (model.TrainSession, error) { return nil, broken }
	if err := Run(p, recorded(t), t.TempDir()); !errors.Is(err, broken) {
		t.Errorf("without a session: %v", err)
	}
	p.New = func(uint64) (model.TrainSession, error) {
		return &diverging{line{w: tensor.Of([]float32{1}), grad: tensor.Of([]float32{0}), mean: tensor.Of([]float32{1})}}, nil
	}
	if err := Run(p, recorded(t), t.TempDir()); err == nil || !strings.Contains(err.Error(), "000: the loss is not finite") {
		t.Errorf("a step that fails: %v", err)
	}
	for _, name := range []string{"grads0", "final", "losses.json"} {
		out := t.TempDir()
		if name == "losses.json" {
			if err := os.Mkdir(filepath.Join(out, name), 0o777); err != nil {
				t.Fatal(err)
			}
		} else {
			put(t, filepath.Join(out, name), nil)
		}
		if err := Run(program(), recorded(t), out); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s cannot be written: %v", name, err)
		}
	}
}
