#include "kernels/dialect/cuda/litmus_gpu.cuh"

namespace oddtile {

namespace {

std::string failed(const char* what, cudaError_t status) {
  return std::string(what) + ": " + cudaGetErrorString(status);
}

std::string run(const cuda::LitmusCase& litmus, LitmusMemory* device) {
  Litmus parameters;
  if (!describe(*device, cuda::encode_tensor_map, &parameters)) {
    return "the driver refuses a tensor map";
  }
  if (!cuda::launch(litmus.kernel, litmus.name.c_str(), litmus.shape, nullptr, parameters)) {
    return failed("launch", cudaGetLastError());
  }
  const cudaError_t status = cudaDeviceSynchronize();
  return status == cudaSuccess ? "" : failed("kernel", status);
}

}  // namespace

std::vector<std::string> names_on_gpu() {
  std::vector<std::string> names;
  for (const cuda::LitmusCase& litmus : cuda::litmus_cases()) names.push_back(litmus.name);
  return names;
}

bool gpu_speaks_hopper() {
  return cuda::speaks_hopper();
}

std::string run_on_gpu(const std::string& name, LitmusMemory* memory) {
  for (const cuda::LitmusCase& litmus : cuda::litmus_cases()) {
    if (litmus.name != name) continue;
    LitmusMemory* device = nullptr;
    cudaError_t status = cudaMalloc(&device, sizeof(LitmusMemory));
    if (status != cudaSuccess) return failed("cudaMalloc", status);
    cudaMemcpy(device, memory, sizeof(LitmusMemory), cudaMemcpyHostToDevice);
    std::string trouble = run(litmus, device);
    status = cudaMemcpy(memory, device, sizeof(LitmusMemory), cudaMemcpyDeviceToHost);
    if (trouble.empty() && status != cudaSuccess) trouble = failed("copy back", status);
    cudaFree(device);
    return trouble;
  }
  return "no such kernel";
}

}  // namespace oddtile
