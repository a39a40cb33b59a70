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

// Write writes an output of a program into a folder: to NAME-NUMBER.npy for an execution of the peer, and to
// NAME-PEER-NUMBER.npy for one of another peer, whose name is of. If numpy cannot hold the value, the file is
// ONNX's message and ends with .pb. The file is written atomically.
func Write(on disk.FS, dir string, e runtime.Event, of string) error {
	t, ok := e.Value.(*tensor.Tensor)
	if !ok {
		return nil
	}
	name := e.Name
	if of != "" {
		name += "-" + of
	}
	b, err := tensorio.AppendNPY(nil, t)
	ext := ".npy"
	if err != nil {
		b, ext = tensorio.AppendTensor(nil, e.Name, t), ".pb"
	}
	return disk.Write(on, filepath.Join(dir, fmt.Sprintf("%s-%d%s", fileName(name), e.Exec.Number, ext)), 0o666, b)
}

// fileName replaces the characters of a name that must not occur in the name of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, strings.TrimLeft(name, "/."))
}
