package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// writeResult writes a value that the program gives to its host into the folder
// of -out: NAME-NUMBER.npy for an execution that this peer began, and
// NAME-PEER-NUMBER.npy for one of another.
func (h *host) writeResult(e runtime.Event) error {
	t, ok := e.Value.(*tensor.Tensor)
	if !ok || t.DType == tensor.String {
		return nil // what npy has no form for
	}
	b, err := tensorio.AppendNPY(nil, t)
	if err != nil {
		return err
	}
	name := e.Name
	if e.Exec.Origin != h.config.Self {
		name += "-" + h.nameOf(e.Exec.Origin)
	}
	return os.WriteFile(filepath.Join(h.options.Out, fmt.Sprintf("%s-%d.npy", fileName(name), e.Exec.Number)), b, 0o666)
}

// fileName is a name without what may not stand in that of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, strings.TrimLeft(name, "/."))
}
