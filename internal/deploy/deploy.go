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

// Options select what is made from a program.
type Options struct {
	Out       string     // the folder to write
	Platforms []Platform // for binaries and images
	Version   string     // of images and SBOMs; "": none

	Release bool               // binaries, checksums and SBOMs
	Key     ed25519.PrivateKey // signs the checksums; nil: no signature
	OCI     bool               // images as folders
	Archive bool               // images as single files
	Push    string             // the registry for images; "": none

	Systemd, Compose, Kubernetes, Nomad bool   // generate these manifests
	Fleet                               *Fleet // the peers in the manifests

	Progress func(string, ...any) // called with the current stage
}

// Report lists what was made. It is written to [ReportFile].
type Report struct {
	Program     string   `json:"program"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Version     string   `json:"version,omitempty"`
	Images      []Image  `json:"images,omitempty"`
	Files       []string `json:"files"` // relative to the folder, in order
}

// Image describes the container image of a class.
type Image struct {
	Name     string   `json:"name"`             // of the class's unit
	Digest   string   `json:"digest"`           // of the index of all platforms
	Pushed   string   `json:"pushed,omitempty"` // its name in a registry
	Platform []string `json:"platforms"`
}

// The folders of the output.
const (
	releaseDir = "release"
	ociDir     = "oci"
)

// Run makes everything that the options select. It checks them before it builds anything. It pushes nothing,
// and changes nothing in the folder, until everything is made.
func (p *Program) Run(ctx context.Context, o *Options) (*Report, error) {
	if err := p.validate(o); err != nil {
		return nil, err
	}
	s, err := newStage(o.Out)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	r := &Report{Program: p.Name, Fingerprint: p.Fingerprint, Version: o.Version}
	indexes, err := p.makeBinaries(s, o, r)
	if err != nil {
		return nil, err
	}
	files, err := p.manifests(o, r.Images)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := s.put(f.path, []byte(f.text), f.mode); err != nil {
			return nil, err
		}
	}
	if o.Push != "" {
		if err := p.pushAll(ctx, indexes, o, r); err != nil {
			return nil, err
		}
	}
	return r, s.publish(r)
}

// validate checks the options as far as that is possible without binaries.
func (p *Program) validate(o *Options) error {
	if o.Push != "" {
		for i := range p.Classes {
			if _, err := p.reference(o.Push, &p.Classes[i], o.Version); err != nil {
				return err
			}
		}
	}
	_, err := p.manifests(o, nil)
	return err
}

// makeBinaries builds the binaries for releases and images, and makes these. It returns the images by class.
func (p *Program) makeBinaries(s *stage, o *Options, r *Report) (indexes []v1.ImageIndex, err error) {
	if !o.Release && !o.images() {
		return nil, nil
	}
	bin := s.path("bin")
	if o.Release {
		bin = s.path(releaseDir)
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	binaries, err := p.Build(bin, o.Platforms, o.Progress)
	if err != nil {
		return nil, err
	}
	if o.Release {
		if err := p.release(bin, binaries, o); err != nil {
			return nil, err
		}
	}
	if o.images() {
		if indexes, err = p.makeImages(s, binaries, o, r); err != nil {
			return nil, err
		}
	}
	if !o.Release {
		err = os.RemoveAll(bin)
	}
	return indexes, err
}

// manifests returns the selected manifests. They refer to images by digest if these were made.
func (p *Program) manifests(o *Options, images []Image) (files []manifest, err error) {
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
			return nil, err
		}
		list, err := w.write(all)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	return files, nil
}

func (o *Options) images() bool { return o.OCI || o.Archive || o.Push != "" }

// release adds SBOMs, checksums and a signature.
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

// makeImages makes the images of all classes for the platforms that support containers, and writes them as
// the options select.
func (p *Program) makeImages(s *stage, binaries []Binary, o *Options, r *Report) (indexes []v1.ImageIndex, err error) {
	binaries = slices.DeleteFunc(slices.Clone(binaries), func(b Binary) bool { return b.Platform.OS != "linux" })
	if len(binaries) == 0 {
		return nil, fmt.Errorf("images are for linux alone: found the targets %v, want one such as linux/amd64", o.Platforms)
	}
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
		if err := p.writeImage(s, c, index, o); err != nil {
			return nil, err
		}
		r.Images, indexes = append(r.Images, made), append(indexes, index)
	}
	return indexes, nil
}

// writeImage writes an image as a folder, or as one file.
func (p *Program) writeImage(s *stage, c *Class, index v1.ImageIndex, o *Options) error {
	if !o.OCI && !o.Archive {
		return nil
	}
	dir := s.path(ociDir, p.Unit(c))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeLayout(dir, index, tagOf(o.Version)); err != nil || !o.Archive {
		return err
	}
	if err := writeArchive(dir+".tar", dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// pushAll pushes the images of all classes to a registry.
func (p *Program) pushAll(ctx context.Context, indexes []v1.ImageIndex, o *Options, r *Report) error {
	for i, index := range indexes {
		ref, err := p.reference(o.Push, &p.Classes[i], o.Version)
		if err != nil {
			return err
		}
		o.Progress("push %s", ref)
		if err := push(ctx, ref, index); err != nil {
			return err
		}
		r.Images[i].Pushed = ref.Name()
	}
	return nil
}
