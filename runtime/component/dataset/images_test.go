package dataset

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// FuzzImages reads a file among others: every pixel is from 0 to 1, in the size of the first image or that of
// the model, and unscaled pixels equal those of the image.
func FuzzImages(f *testing.F) {
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	img.Set(1, 1, color.NRGBA{200, 100, 50, 128})
	for _, write := range []func(b *bytes.Buffer) error{
		func(b *bytes.Buffer) error { return png.Encode(b, img) },
		func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), 3, 0)
		f.Add(b.Bytes(), 1, 5)
	}
	f.Fuzz(func(t *testing.T, file []byte, channels, size int) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil && c.Width*c.Height > 1<<16 || size > 1<<8 {
			t.Skip("an image that large takes the fuzzer's time, and shows nothing more")
		}
		opt := Options{X: tensor.Float32, Y: tensor.Int64, Shape: []int{channels, size, size}}
		set, err := Open(files("cat/a.png", file, "dog/b.jpg", file, "dog/notes.txt", "no image"), ".", opt)
		if err != nil {
			return
		}
		x, y := set.Train.Features().Tensor(2), set.Train.Labels().Tensor(2)
		if err := set.Train.Batch([]int{1, 0}, x, y); err != nil {
			return // the file is only opened here, where the size is known
		}
		if labels := tensor.Data[int64](y); labels[0] != 1 || labels[1] != 0 {
			t.Errorf("labels are %v, want 1 and 0", labels)
		}
		data := tensor.Data[float32](x)
		for _, v := range data {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("a pixel is %v", v)
			}
		}
		img, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		h, w := x.Shape[2], x.Shape[3]
		if r := img.Bounds(); channels != 3 || r.Dy() != h || r.Dx() != w {
			return
		}
		for i := range h * w {
			r, g, b, _ := img.At(img.Bounds().Min.X+i%w, img.Bounds().Min.Y+i/w).RGBA()
			for c, want := range []uint32{r, g, b} {
				if got := data[c*h*w+i]; got != float32(want>>8)/255 {
					t.Fatalf("pixel %d of channel %d is %v, want %d/255", i, c, got, want>>8)
				}
			}
		}
	})
}
