//go:build amd64 && !purego

package cpu

func stepAdam(w, m, v, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepAdamAVX512(w, m, v, g, k)
	case AVX2:
		stepAdamAVX2(w, m, v, g, k)
	default:
		adamGo(w, m, v, nil, g, k)
	}
}

func stepAdamTop(w, m, v, top, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepAdamTopAVX512(w, m, v, top, g, k)
	case AVX2:
		stepAdamTopAVX2(w, m, v, top, g, k)
	default:
		adamGo(w, m, v, top, g, k)
	}
}

func stepSGD(w, _, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepSGDAVX512(w, g, k)
	case AVX2:
		stepSGDAVX2(w, g, k)
	default:
		sgdGo(w, nil, nil, nil, g, k)
	}
}

func stepMomentum(w, v, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepMomentumAVX512(w, v, g, k)
	case AVX2:
		stepMomentumAVX2(w, v, g, k)
	default:
		momentumGo(w, v, nil, nil, g, k)
	}
}

func stepNesterov(w, v, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepNesterovAVX512(w, v, g, k)
	case AVX2:
		stepNesterovAVX2(w, v, g, k)
	default:
		nesterovGo(w, v, nil, nil, g, k)
	}
}

func stepAdagrad(w, h, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepAdagradAVX512(w, h, g, k)
	case AVX2:
		stepAdagradAVX2(w, h, g, k)
	default:
		adagradGo(w, h, nil, nil, g, k)
	}
}

func stepRMSprop(w, h, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepRMSpropAVX512(w, h, g, k)
	case AVX2:
		stepRMSpropAVX2(w, h, g, k)
	default:
		rmspropGo(w, h, nil, nil, g, k)
	}
}

func stepLion(w, m, _, _, g []float32, k *stepNumbers[float32]) {
	switch level {
	case AVX512:
		stepLionAVX512(w, m, g, k)
	case AVX2:
		stepLionAVX2(w, m, g, k)
	default:
		lionGo(w, m, nil, nil, g, k)
	}
}
