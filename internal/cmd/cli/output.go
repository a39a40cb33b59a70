package cli

import (
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// CheckOutput refuses a file that cannot be written, or that is one of the inputs. It is
// asked before the work that the file is for: that may take long. Name is "" if there is
// no such file.
func CheckOutput(flag, name string, inputs ...string) error {
	st, err := os.Stat(name)
	if err != nil {
		return nil // nothing is there
	}
	if st.IsDir() {
		return Usagef("%s %s is a folder, want a file", flag, name)
	}
	for _, in := range inputs {
		if other, err := os.Stat(in); err == nil && os.SameFile(st, other) {
			return Usagef("%s %s would replace the input %s: give another file", flag, name, in)
		}
	}
	return nil
}

// WriteFile writes a file whole or not at all: what was there before is lost only when
// the new content is safe. It makes the folder around it.
func WriteFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return os.WriteFile(name, b, 0o666) // a device or a pipe
	}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to // a link stays one
	}
	return disk.Write(disk.OS, name, 0o666, b)
}
