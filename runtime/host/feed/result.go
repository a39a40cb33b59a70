package feed

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// Write writes a value that a program gives to its host into a folder: NAME-NUMBER.npy
// for an execution that the peer began, and NAME-PEER-NUMBER.npy for one of another,
// whose name is given. The file is there whole, or not at all.
func Write(on disk.FS, dir string, e runtime.Event, of string) error {
	t, ok := e.Value.(*tensor.Tensor)
	if !ok || t.DType == tensor.String {
		return nil // what npy has no form for
	}
	b, err := tensorio.AppendNPY(nil, t)
	if err != nil {
		return err
	}
	name := e.Name
	if of != "" {
		name += "-" + of
	}
	return disk.Write(on, filepath.Join(dir, fmt.Sprintf("%s-%d.npy", fileName(name), e.Exec.Number)), 0o666, b)
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
