package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Replace writes a file that a user has named: completely, or what was there before remains. It makes the
// folder around it. A link stays a link, and a device or a pipe gets the content.
func Replace(name string, content []byte, perm fs.FileMode) error {
	return ReplaceParts(name, perm, content)
}

// ReplaceParts is Replace for a content in parts, which follow each other.
func ReplaceParts(name string, perm fs.FileMode, parts ...[]byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	to, ok := Replaceable(name)
	if !ok {
		return os.WriteFile(name, slices.Concat(parts...), perm)
	}
	return Write(OS, to, perm, parts...)
}

// Replaceable returns the file that a rename has to replace for a new content of name: where its links lead.
// It reports false if name is a device, a pipe or a folder, which a rename must not replace.
func Replaceable(name string) (file string, ok bool) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return name, false
	}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to, true
	}
	return name, true
}
