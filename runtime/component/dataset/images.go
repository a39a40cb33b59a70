package dataset

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // a format for image.Decode
	_ "image/png"  // another one
	"io/fs"
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime/tensor"
)

const (
	maxPixels  = 100 << 20 // of one image
	maxDecoded = 1 << 30   // bytes of images that are cached in memory
)

// images is a source of images in files, a folder for each class.
type images struct {
	fsys                    fs.FS
	files                   []string
	classes                 []int
	labelType               tensor.DType // of the labels
	channels, height, width int

	mu   sync.Mutex
	kept [][]byte // by file, decoded and scaled; guarded by mu
	size int      // bytes in kept; guarded by mu
}

// openImages reads a folder with a folder of images for each class, or folders train and val of that form; nil
// if there are none.
func (o *opener) openImages() (*Set, error) {
	if !o.has("train") {
		names, files, err := o.classes(".")
		if err != nil || len(files) == 0 {
			return nil, err
		}
		s, err := o.images(files)
		return &Set{Train: s, Names: names, Classes: len(names)}, err
	}
	names, files, err := o.classes("train")
	if err != nil || len(files) == 0 {
		return nil, err
	}
	set := &Set{Names: names, Classes: len(names)}
	train, err := o.images(files)
	if err != nil {
		return nil, err
	}
	set.Train = train
	for _, dir := range []string{"val", "valid", "validation", "test"} {
		if !o.has(dir) {
			continue
		}
		valNames, files, err := o.classes(dir)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(names, valNames) {
			return nil, fmt.Errorf("classes in train are %q, in %s %q", names, dir, valNames)
		}
		o.Shape = []int{train.channels, train.height, train.width}
		val, err := o.images(files)
		set.Val = val
		return set, err
	}
	return set, nil
}

// images returns the source of these files. The model determines the size of images, or otherwise the first
// image.
func (o *opener) images(files []classFile) (*images, error) {
	s := &images{fsys: o.fsys, labelType: o.Y, channels: 3, kept: make([][]byte, len(files))}
	if o.X != tensor.Float32 {
		return nil, fmt.Errorf("images are float32, the model's input is %v", o.X)
	}
	if len(o.Shape) == 3 {
		s.channels, s.height, s.width = o.Shape[0], o.Shape[1], o.Shape[2]
	}
	if s.channels != 1 && s.channels != 3 {
		return nil, fmt.Errorf("the model's input has %d channels, want 1 (gray) or 3 (red, green, blue)", s.channels)
	}
	if err := o.checkFiles(files); err != nil {
		return nil, err
	}
	for _, f := range files {
		s.files = append(s.files, f.file)
		s.classes = append(s.classes, f.class)
	}
	if (s.height <= 0 || s.width <= 0) && len(files) > 0 {
		img, err := decodeImage(o.fsys, files[0].file)
		if err != nil {
			return nil, err
		}
		s.height, s.width = img.Bounds().Dy(), img.Bounds().Dx()
	}
	return s, nil
}

// decodeImage reads an image, unless it is too large.
func decodeImage(fsys fs.FS, name string) (image.Image, error) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := checkHeader(bytes.NewReader(b), int64(len(b))); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// pixels returns the bytes of image i, channel after channel.
func (s *images) pixels(i int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[i] != nil {
		return s.kept[i], nil
	}
	img, err := decodeImage(s.fsys, s.files[i])
	if err != nil {
		return nil, err
	}
	b := scaled(planes(img, s.channels), s.channels, img.Bounds().Dy(), img.Bounds().Dx(), s.height, s.width)
	if s.size+len(b) <= maxDecoded {
		s.kept[i] = b
		s.size += len(b)
	}
	return b, nil
}

func (s *images) Len() int { return len(s.files) }
func (s *images) Features() Spec {
	return Spec{tensor.Float32, []int{s.channels, s.height, s.width}}
}
func (s *images) Labels() Spec { return Spec{s.labelType, nil} }

func (s *images) Batch(indices []int, x, y *tensor.Tensor) error {
	if err := checkBatch(s, indices, x, y); err != nil {
		return err
	}
	dst := tensor.Data[float32](x)
	for k, i := range indices {
		b, err := s.pixels(i)
		if err != nil {
			return err
		}
		for j, v := range b {
			dst[k*len(b)+j] = float32(v) / 255
		}
		switch y := y.Data.(type) {
		case []int64:
			y[k] = int64(s.classes[i])
		case []float32:
			y[k] = float32(s.classes[i])
		}
	}
	return nil
}
