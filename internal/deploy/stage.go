package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/project"
)

// ReportFile lists the files that were made in a folder. The next run removes them.
const ReportFile = "deploy.json"

// maxReport is the largest size of that file.
const maxReport = 16 << 20

// stage is a temporary folder beside the output folder, so that an error or a crash leaves that unchanged.
type stage struct {
	out, dir string
	remove   func()
}

func newStage(out string) (*stage, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	if err := checkOut(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return nil, err
	}
	dir, remove, err := project.TempDir(filepath.Dir(out), ".bbgen-deploy-*")
	return &stage{out, dir, remove}, err
}

// checkOut requires a folder that is new, empty or made by an earlier run.
func checkOut(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	}
	if _, err := os.Stat(filepath.Join(out, ReportFile)); err != nil {
		return fmt.Errorf("%s: found files that \"bbgen deploy\" did not write (there is no %s), want a new or empty folder: choose another one", out, ReportFile)
	}
	return nil
}

// path returns a path in the stage.
func (s *stage) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// put writes a file of the stage.
func (s *stage) put(name string, data []byte, mode fs.FileMode) error {
	file := s.path(filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, mode)
}

// publish moves all files of the stage to the output folder, and replaces those of an earlier run.
func (s *stage) publish(r *Report) error {
	var err error
	if r.Files, err = filesIn(s.dir); err != nil {
		return err
	}
	if err := removeEarlier(s.out); err != nil {
		return err
	}
	for _, name := range r.Files {
		to := filepath.Join(s.out, filepath.FromSlash(name))
		if err := makeDir(s.out, path.Dir(name)); err != nil {
			return err
		}
		if err := os.Rename(s.path(filepath.FromSlash(name)), to); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.out, ReportFile), append(b, '\n'), 0o644)
}

// makeDir makes a folder of a deployment.
func makeDir(out, name string) error {
	dir := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(dir, 0o755); err != nil || name != closedDir {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// filesIn returns the files below a folder, in order.
func filesIn(dir string) ([]string, error) {
	files := []string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}

// readReport reads the report of an earlier run in a folder, or returns nil.
func readReport(out string) (*Report, error) {
	name := filepath.Join(out, ReportFile)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxReport {
		return nil, fmt.Errorf("%s has %d bytes, want at most %d: remove the folder, or choose another one", name, info.Size(), maxReport)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w: remove the folder, or choose another one", name, err)
	}
	return r, nil
}

// removeEarlier removes the files that an earlier run has listed, and folders that become empty. The list
// cannot name a file outside of the folder.
func removeEarlier(out string) error {
	r, err := readReport(out)
	if err != nil || r == nil {
		return err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range r.Files {
		if err := root.Remove(filepath.FromSlash(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", filepath.Join(out, ReportFile), err)
		}
		for dir := filepath.Dir(filepath.FromSlash(f)); dir != "."; dir = filepath.Dir(dir) {
			if root.Remove(dir) != nil {
				break // it is not empty, or does not exist
			}
		}
	}
	return nil
}
