package deploy

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// refName is the annotation with the name of an index in a layout.
const refName = "org.opencontainers.image.ref.name"

// tagged matches the valid tags of an image. It is made when it is needed: with its repetitions that takes long, whenever
// bbgen starts.
var tagged = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`) })

// CheckVersion returns an error if a version is not a valid tag. "" means none.
func CheckVersion(version string) error {
	if version != "" && !tagged().MatchString(version) {
		return fmt.Errorf("%q is no version of an image, want letters, digits, dots and dashes, as in v1.2.0", version)
	}
	return nil
}

// tagOf returns the tag for a version.
func tagOf(version string) string { return cmp.Or(version, "latest") }

// writeLayout writes an image as an OCI layout.
func writeLayout(dir string, index v1.ImageIndex, tag string) error {
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return p.AppendIndex(index, layout.WithAnnotations(map[string]string{refName: tag}))
}

// writeArchive writes a layout as one file for "podman load" and "docker load". Its files are sorted and have
// no times.
func writeArchive(file, dir string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := tar.NewWriter(f)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return addFile(w, filepath.ToSlash(rel), path, 0o644)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// reference returns the name of a class's image in a registry.
func (p *Program) reference(registry string, c *Class, version string) (name.Reference, error) {
	ref, err := name.ParseReference(registry + "/" + p.Unit(c) + ":" + tagOf(version))
	if err == nil && slices.ContainsFunc(strings.Split(registry, "/"), func(s string) bool { return strings.Trim(s, ".") == "" }) {
		err = errors.New("a part of it is empty, or has only dots")
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no registry, want HOST or HOST/FOLDER as in registry.example.org/fleet: %w", registry, err)
	}
	return ref, nil
}

// push pushes an image to a registry, with the user's credentials from Docker or Podman.
func push(ctx context.Context, ref name.Reference, index v1.ImageIndex) error {
	err := remote.WriteIndex(ref, index, remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("push %s: %w; \"docker login\" or \"podman login\" writes the credentials that are used", ref, err)
	}
	return nil
}
