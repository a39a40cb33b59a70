package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen"
)

// tempPattern is the name of the folder to which files are written first. The Go command ignores folders with
// names that begin with a dot.
const tempPattern = ".bbgen-tmp-*"

// Write writes files to their folders. A module of its own also gets its runtime, so that it can be built
// anywhere.
func Write(home Home, files []codegen.File) error {
	if home.Own {
		if err := checkFolderOfOwn(home.Dir); err != nil {
			return err
		}
		vendor, err := vendored(home.Import, imports(files))
		if err != nil {
			return err
		}
		files = slices.Concat(files, vendor)
	}
	return write(home.Dir, files)
}

// write writes files to dir. It first writes them to a temporary folder, so that an error leaves dir unchanged;
// a dir that does not exist yet appears with all files. It removes files of an earlier run that are no longer
// generated. If a file that bbgen has not written is in the way, it returns an error before it changes anything.
func write(dir string, files []codegen.File) error {
	if err := errors.Join(checkConflicts(dir, files), checkNeighbors(dir, files)); err != nil {
		return err
	}
	around := filepath.Dir(dir)
	if err := os.MkdirAll(around, 0o777); err != nil {
		return err
	}
	removeAbandoned(around, tempPattern)
	_, err := os.Lstat(dir)
	exists := err == nil
	if exists { // it may be a mount point: files cannot be moved there from the folder around it
		removeAbandoned(dir, tempPattern)
		around = dir
	}
	tmp, remove, err := TempDir(around, tempPattern)
	if err != nil {
		return unchanged(dir, err)
	}
	defer remove()
	for _, f := range files {
		if err := writeFile(filepath.Join(tmp, filepath.FromSlash(f.Path)), &f); err != nil {
			return unchanged(dir, err)
		}
	}
	if !exists {
		if err := os.Chmod(tmp, 0o755); err != nil {
			return err
		}
		err := os.Rename(tmp, dir)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s was not there when bbgen began to write, and is now: another bbgen may write it; run this one again", dir)
		}
		return err
	}
	for _, f := range files {
		if err := moveFile(filepath.Join(tmp, filepath.FromSlash(f.Path)), filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	return removeStale(dir, files)
}

// unchanged returns the error of a temporary folder or file, such as a full disk, with the folder that it is for.
func unchanged(dir string, err error) error {
	return fmt.Errorf("cannot write %s, which stays as it was: %w", dir, err)
}

func writeFile(name string, f *codegen.File) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteTo(out)
	return errors.Join(err, out.Close())
}

// moveFile replaces to by from, unless they are equal: then to keeps its time, so that the Go command's cache
// is valid.
func moveFile(from, to string) error {
	if same, err := sameContent(from, to); err != nil || same {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// sameContent reports whether the file b exists and has the content of a. It reads them in pieces, as weights may
// have gigabytes.
func sameContent(a, b string) (bool, error) {
	x, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := os.Open(b)
	if err != nil {
		return false, nil // the rename says why it cannot be replaced
	}
	defer y.Close()
	p, q := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(x, p)
		m, other := io.ReadFull(y, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if n < len(p) || err != nil || other != nil {
			return err == other && (err == io.EOF || err == io.ErrUnexpectedEOF), nil
		}
	}
}

// removeStale deletes files of an earlier run that this one has not written: Go files with bbgen's header,
// the weights that belong to them, and other files of the runtime in the vendor folder.
func removeStale(dir string, files []codegen.File) error {
	keep := map[string]bool{}
	folders := map[string]bool{}
	for _, f := range files {
		keep[filepath.Join(dir, filepath.FromSlash(f.Path))] = true
		if !strings.HasPrefix(f.Path, "vendor/") {
			folders[filepath.Join(dir, filepath.FromSlash(path.Dir(f.Path)))] = true
		}
	}
	if mod := filepath.Join(dir, "go.mod"); !keep[mod] {
		if err := removeModule(mod); err != nil {
			return err
		}
	}
	for folder := range folders {
		list, err := matching(folder, "*.go")
		if err != nil {
			return err
		}
		for _, name := range list {
			if keep[name] {
				continue
			}
			if err := removeOurs(name, keep); err != nil {
				return err
			}
		}
	}
	if vendor := filepath.Join(dir, "vendor"); keep[filepath.Join(vendor, "modules.txt")] {
		return removeVendored(vendor, keep)
	}
	return nil
}

// removeVendored deletes what another bbgen has written to the vendor folder: if its runtime has a file more in a package,
// something may be declared there that is elsewhere now.
func removeVendored(vendor string, keep map[string]bool) error {
	if st, err := os.Lstat(vendor); err != nil || !st.IsDir() { // a link of the author's, which WalkDir would not follow
		return err
	}
	return filepath.WalkDir(vendor, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || keep[name] {
			return err
		}
		return os.Remove(name)
	})
}

// removeModule deletes a go.mod written by bbgen, and its vendor folder: the folder has become a package of
// the enclosing module.
func removeModule(mod string) error {
	b, err := os.ReadFile(mod)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !isOurs(b) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(mod), os.RemoveAll(filepath.Join(filepath.Dir(mod), "vendor")))
}

// removeOurs deletes a Go file if bbgen has written it. Weights have no header; they belong to bbgen if the
// file that embeds them does.
func removeOurs(name string, keep map[string]bool) error {
	b, err := os.ReadFile(name)
	if err != nil || !isOurs(b) {
		return err
	}
	if weights := filepath.Join(filepath.Dir(name), "weights.bin"); filepath.Base(name) == "weights.bb.go" && !keep[weights] {
		if err := os.Remove(weights); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Remove(name)
}
