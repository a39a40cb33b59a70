package deploy

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Options say what is made of a program.
type Options struct {
	Out       string     // the folder to write
	Platforms []Platform // that binaries and images are for
	Version   string     // of images and lists of contents; "": none

	Release bool               // binaries, checksums and lists of contents
	Key     ed25519.PrivateKey // signs the checksums; nil: nobody does
	OCI     bool               // images as folders
	Archive bool               // images as one file each
	Push    string             // the registry that images go to; "": none

	Systemd, Compose, Kubernetes, Nomad bool   // manifests of these
	Fleet                               *Fleet // the peers that manifests are for

	Progress func(string, ...any) // told what is being done
}

// Report says what was made. It is written to [ReportFile].
type Report struct {
	Program     string   `json:"program"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Version     string   `json:"version,omitempty"`
	Images      []Image  `json:"images,omitempty"`
	Files       []string `json:"files"` // relative to the folder, in order
}

// Image is what was made of a class for containers.
type Image struct {
	Name     string   `json:"name"`             // of the class's unit
	Digest   string   `json:"digest"`           // of the index of all platforms
	Pushed   string   `json:"pushed,omitempty"` // where it is in a registry
	Platform []string `json:"platforms"`
}

// The folders of what is made.
const (
	releaseDir = "release"
	ociDir     = "oci"
)

// Run makes what the options ask for. Nothing changes in the folder until all is made.
func (p *Program) Run(ctx context.Context, o *Options) (*Report, error) {
	s, err := newStage(o.Out)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	r := &Report{Program: p.Name, Fingerprint: p.Fingerprint, Version: o.Version}
	bin := s.path("bin")
	if o.Release {
		bin = s.path(releaseDir)
	}
	var binaries []Binary
	if o.Release || o.images() {
		if err := os.MkdirAll(bin, 0o755); err != nil {
			return nil, err
		}
		if binaries, err = p.Build(bin, o.Platforms, o.Progress); err != nil {
			return nil, err
		}
	}
	if o.Release {
		if err := p.release(bin, binaries, o); err != nil {
			return nil, err
		}
	}
	if o.images() {
		if r.Images, err = p.makeImages(ctx, s, binaries, o); err != nil {
			return nil, err
		}
	}
	if !o.Release {
		if err := os.RemoveAll(bin); err != nil {
			return nil, err
		}
	}
	if err := p.manifests(s, o, r.Images); err != nil {
		return nil, err
	}
	return r, s.publish(r)
}

// manifests writes those that are asked for.
func (p *Program) manifests(s *stage, o *Options, images []Image) error {
	writers := []struct {
		wanted bool
		write  func([]unit) ([]manifest, error)
	}{{o.Systemd, systemd}, {o.Compose, compose}, {o.Kubernetes, kubernetes}, {o.Nomad, nomad}}
	for _, w := range writers {
		if !w.wanted {
			continue
		}
		all, err := p.units(o, images)
		if err != nil {
			return err
		}
		files, err := w.write(all)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := s.put(f.path, []byte(f.text), f.mode); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Options) images() bool { return o.OCI || o.Archive || o.Push != "" }

// release adds what belongs to binaries: lists of contents, checksums and a signature.
func (p *Program) release(dir string, binaries []Binary, o *Options) error {
	for i := range binaries {
		b := &binaries[i]
		o.Progress("list the contents of %s", filepath.Base(b.File))
		list, err := p.SBOM(b, o.Version)
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.File+".cdx.json", list, 0o644); err != nil {
			return err
		}
	}
	list, err := sums(dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, SumsFile), list, 0o644); err != nil || o.Key == nil {
		return err
	}
	return sign(dir, o.Key)
}

// makeImages makes the images of all classes for the platforms that containers have.
func (p *Program) makeImages(ctx context.Context, s *stage, binaries []Binary, o *Options) ([]Image, error) {
	binaries = slices.DeleteFunc(slices.Clone(binaries), func(b Binary) bool { return b.Platform.OS != "linux" })
	if len(binaries) == 0 {
		return nil, fmt.Errorf("images are for linux alone: found the targets %v, want one such as linux/amd64", o.Platforms)
	}
	var all []Image
	for i := range p.Classes {
		c := &p.Classes[i]
		o.Progress("image %s", p.Unit(c))
		index, err := p.Index(c, binaries, o.Version)
		if err != nil {
			return nil, err
		}
		digest, err := index.Digest()
		if err != nil {
			return nil, err
		}
		made := Image{Name: p.Unit(c), Digest: digest.String()}
		for _, b := range binaries {
			if b.Class == c {
				made.Platform = append(made.Platform, b.Platform.String())
			}
		}
		if made.Pushed, err = p.keep(ctx, s, c, index, o); err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// keep puts an image where the options say. It returns how it is called in a registry.
func (p *Program) keep(ctx context.Context, s *stage, c *Class, index v1.ImageIndex, o *Options) (pushed string, err error) {
	if o.OCI || o.Archive {
		dir := s.path(ociDir, p.Unit(c))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		if err := writeLayout(dir, index, tagOf(o.Version)); err != nil {
			return "", err
		}
		if o.Archive {
			if err := writeArchive(dir+".tar", dir); err != nil {
				return "", err
			}
			if err := os.RemoveAll(dir); err != nil {
				return "", err
			}
		}
	}
	if o.Push == "" {
		return "", nil
	}
	ref, err := p.reference(o.Push, c, o.Version)
	if err != nil {
		return "", err
	}
	o.Progress("push %s", ref)
	return ref.Name(), push(ctx, ref, index)
}
