//go:build amd64 && !purego

package cpu

func stepAdam(w, m, v, _, g []float32, k *stepNumbers[float32]) {
	if !stepAdamAtLevel(w, m, v, g, k) {
		adamGo(w, m, v, nil, g, k)
	}
}

func stepAdamTop(w, m, v, top, g []float32, k *stepNumbers[float32]) {
	if !stepAdamTopAtLevel(w, m, v, top, g, k) {
		adamGo(w, m, v, top, g, k)
	}
}

func stepSGD(w, _, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepSGDAtLevel(w, g, k) {
		sgdGo(w, nil, nil, nil, g, k)
	}
}

func stepMomentum(w, v, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepMomentumAtLevel(w, v, g, k) {
		momentumGo(w, v, nil, nil, g, k)
	}
}

func stepNesterov(w, v, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepNesterovAtLevel(w, v, g, k) {
		nesterovGo(w, v, nil, nil, g, k)
	}
}

func stepAdagrad(w, h, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepAdagradAtLevel(w, h, g, k) {
		adagradGo(w, h, nil, nil, g, k)
	}
}

func stepRMSprop(w, h, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepRMSpropAtLevel(w, h, g, k) {
		rmspropGo(w, h, nil, nil, g, k)
	}
}

func stepLion(w, m, _, _, g []float32, k *stepNumbers[float32]) {
	if !stepLionAtLevel(w, m, g, k) {
		lionGo(w, m, nil, nil, g, k)
	}
}
