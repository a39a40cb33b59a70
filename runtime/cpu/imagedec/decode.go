package imagedec

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// picture is a decoded image, with three bytes per pixel.
type picture struct {
	width, height int
	rgb           []uint8
}

var errFormat = errors.New("the file is not well-formed, or of a kind that is not supported")

// newPicture returns a black image.
func newPicture(width, height int) (*picture, error) {
	if width < 1 || height < 1 {
		return nil, errSize
	}
	if err := checkLimit(width, height); err != nil {
		return nil, err
	}
	return &picture{width, height, make([]uint8, 3*width*height)}, nil
}

// set sets the color of pixel i.
func (p *picture) set(i int, r, g, b uint8) { p.rgb[3*i], p.rgb[3*i+1], p.rgb[3*i+2] = r, g, b }

// formats are the decoders, by the begin of a file. A question mark is any byte.
var formats = []struct {
	magic  string
	decode func(data []byte) (*picture, error)
}{
	{"\x89PNG\r\n\x1a\n", decodePNG},
	{"\xff\xd8", decodeJPEG},
	{"GIF8?a", decodeGIF},
	{"BM", decodeBMP},
	{"II*\x00", decodeTIFF},
	{"MM\x00*", decodeTIFF},
	{"RIFF????WEBP", decodeWebP},
	{"\x00\x00\x00\x0cjP  \r\n\x87\n", decodeJP2},
	{"\xff\x4f\xff\x51", decodeJP2},
	{"P1", decodePNM},
	{"P2", decodePNM},
	{"P3", decodePNM},
	{"P4", decodePNM},
	{"P5", decodePNM},
	{"P6", decodePNM},
}

// decode decodes an image of any format.
func decode(data []byte) (p *picture, err error) {
	defer func() {
		if recover() != nil { // the decoders index beyond the end of a truncated file
			p, err = nil, errFormat
		}
	}()
	data = slices.Clip(data) // a truncated file must not continue with what is behind it in memory
	for _, f := range formats {
		if len(data) >= len(f.magic) && begins(data, f.magic) {
			return f.decode(data)
		}
	}
	return nil, errFormat
}

func begins(data []byte, magic string) bool {
	for i := range magic {
		if data[i] != magic[i] && magic[i] != '?' {
			return false
		}
	}
	return true
}

// Measure writes the height and the width of the image in data to size: zeros if it cannot be decoded. It
// panics if the image is larger than the limit.
func Measure(size []int64, data []uint8) {
	clear(size)
	p, err := decode(data)
	if tooLarge, ok := errors.AsType[*limitError](err); ok {
		fail(tooLarge)
	}
	if err == nil {
		size[0], size[1] = int64(p.height), int64(p.width)
	}
}

func fail(err error) { panic(&cpu.Error{Kernel: "ImageDecoder", Msg: err.Error()}) }

// Height returns the height that [Measure] has written.
func Height(size []int64) int { return int(size[0]) }

// Width returns the width that [Measure] has written.
func Width(size []int64) int { return int(size[1]) }

// Decode writes the pixels of the image in data, row by row: three bytes for
// the formats RGB and BGR, one for Grayscale.
func Decode(dst, data []uint8, format string) {
	if len(dst) == 0 {
		return
	}
	p, err := decode(data)
	if err != nil {
		panic("BUG: an image that was measured cannot be decoded: " + err.Error())
	}
	switch format {
	case "Grayscale":
		for i := range dst {
			r, g, b := int(p.rgb[3*i]), int(p.rgb[3*i+1]), int(p.rgb[3*i+2])
			dst[i] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
		}
	case "BGR":
		for i := 0; i < len(dst); i += 3 {
			dst[i], dst[i+1], dst[i+2] = p.rgb[i+2], p.rgb[i+1], p.rgb[i]
		}
	default:
		copy(dst, p.rgb)
	}
}
