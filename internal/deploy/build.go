package deploy

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/project"
)

// Binary is a class that was built for a platform.
type Binary struct {
	Class    *Class
	Platform Platform
	File     string
	Weights  string // the file of weights beside it; "" if they are embedded
}

// Build builds all classes for all platforms into a folder, and reports its progress. The result is sorted by
// class, then by platform.
func (p *Program) Build(dir string, platforms []Platform, progress func(string, ...any)) ([]Binary, error) {
	var all []Binary
	for i := range p.Classes {
		c := &p.Classes[i]
		for _, at := range platforms {
			name := p.Unit(c) + "-" + at.name()
			progress("go build %s", name)
			b := Binary{Class: c, Platform: at, File: filepath.Join(dir, name+at.exe())}
			if err := project.BuildFor(c.Dir, b.File, at.environment()); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if c.Sidecar != "" {
				b.Weights = b.File + ".weights"
				if err := copyFile(c.Sidecar, b.Weights); err != nil {
					return nil, err
				}
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// copyFile copies a file, which may be larger than memory.
func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return cmp.Or(err, dst.Close())
}
