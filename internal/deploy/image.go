package deploy

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The content of an image. The peer makes its own folder in the volume, as the volume may belong to root,
// with only the group of the peer.
const (
	imageProgram = "peer" // at the root
	imageUser    = 65532  // "nonroot" in images of others, too
	imageVolume  = "/state"
	imageState   = imageVolume + "/peer"
	peerPort     = 4001
	httpPort     = 8080
)

// Labels of images.
const (
	labelProgram     = "com.github.bbgen.program"
	labelClass       = "com.github.bbgen.class"
	labelFingerprint = "com.github.bbgen.fingerprint"
	labelTitle       = "org.opencontainers.image.title"
	labelVersion     = "org.opencontainers.image.version"
)

// epoch is the timestamp of all files, so that digests only depend on content.
var epoch = time.Unix(0, 0).UTC()

// Index returns an image of one class for all its platforms. It contains only the program: no shell, no
// libraries, and no CA certificates, as peers trust keys.
func (p *Program) Index(c *Class, binaries []Binary, version string) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i := range binaries {
		b := &binaries[i]
		if b.Class != c {
			continue
		}
		img, err := p.image(b, version)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Unit(c), err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: ociPlatform(b.Platform)}})
	}
	return mutate.Annotations(index, p.labels(c, version)).(v1.ImageIndex), nil
}

// labels returns the labels of an image.
func (p *Program) labels(c *Class, version string) map[string]string {
	all := map[string]string{labelTitle: p.Unit(c), labelProgram: p.Name}
	if c.Name != "" {
		all[labelClass], all[labelFingerprint] = c.Name, p.Fingerprint
	}
	if version != "" {
		all[labelVersion] = version
	}
	return all
}

func ociPlatform(at Platform) *v1.Platform {
	variant := at.Variant
	if at.Arch == "arm" {
		variant = cmp.Or(variant, "v7") // Go's default
	}
	return &v1.Platform{OS: at.OS, Architecture: at.Arch, Variant: variant}
}

// image returns the image of one binary.
func (p *Program) image(b *Binary, version string) (v1.Image, error) {
	if b.Platform.OS != "linux" {
		return nil, fmt.Errorf("an image for %s: found no way to make one, want linux: leave it out of --target, or out of a run with --oci", b.Platform)
	}
	content, err := layerTar(b)
	if err != nil {
		return nil, err
	}
	layer, err := partial.UncompressedToLayer(&imageLayer{content})
	if err != nil {
		return nil, err
	}
	made := v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "bbgen deploy"}
	img, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1), mutate.Addendum{Layer: layer, History: made})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	at := ociPlatform(b.Platform)
	config.OS, config.Architecture, config.Variant = at.OS, at.Architecture, at.Variant
	config.Created = v1.Time{Time: epoch}
	config.Config = p.imageConfig(b.Class, version)
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return nil, err
	}
	return mutate.ConfigMediaType(img, types.OCIConfigJSON), nil
}

// imageConfig returns the configuration of a container.
func (p *Program) imageConfig(c *Class, version string) v1.Config {
	config := v1.Config{
		User: fmt.Sprintf("%d:%[1]d", imageUser), WorkingDir: "/", Labels: p.labels(c, version),
		Entrypoint: []string{"/" + imageProgram}, Cmd: p.containerArgs(c),
		ExposedPorts: map[string]struct{}{fmt.Sprintf("%d/tcp", httpPort): {}},
	}
	if c.Name != "" {
		config.ExposedPorts[fmt.Sprintf("%d/tcp", peerPort)] = struct{}{}
		config.Volumes = map[string]struct{}{imageVolume: {}}
	}
	return config
}

// containerArgs returns the arguments without a configuration file.
func (p *Program) containerArgs(c *Class) []string {
	switch {
	case c.Name != "":
		return []string{"-state", imageState}
	case c.Serves:
		return []string{"serve", "-listen", fmt.Sprintf("0.0.0.0:%d", httpPort)}
	}
	return nil
}

// layerTar returns the file system of an image: the program, and a folder for its volume.
func layerTar(b *Binary) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := addFile(w, imageProgram, b.File, 0o555); err != nil {
		return nil, err
	}
	if b.Weights != "" {
		if err := addFile(w, imageProgram+".weights", b.Weights, 0o444); err != nil {
			return nil, err
		}
	}
	if b.Class.Name != "" {
		folder := tar.Header{Typeflag: tar.TypeDir, Name: imageVolume[1:] + "/", Mode: 0o700, Uid: imageUser, Gid: imageUser, ModTime: epoch, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&folder); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// addFile adds a file that belongs to root.
func addFile(w *tar.Writer, name, file string, mode int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size(), ModTime: epoch}); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

// imageLayer is an uncompressed layer.
//
// NB: it is in memory, as its digest precedes its bytes.
type imageLayer struct{ content []byte }

// DiffID returns the digest of the content.
func (l *imageLayer) DiffID() (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(l.content))
	return h, err
}

// Uncompressed returns the content.
func (l *imageLayer) Uncompressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.content)), nil
}

// MediaType returns the type of the compressed layer.
func (l *imageLayer) MediaType() (types.MediaType, error) { return types.OCILayer, nil }
